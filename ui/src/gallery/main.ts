// Shows every control on one page, for looking at while building. It is not part of the product.
import "../theme/base.css";
import { mount } from "svelte";
import Gallery from "./Gallery.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("the page has no element #app");
mount(Gallery, { target });
