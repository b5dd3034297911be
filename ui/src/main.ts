// Puts the app into the page. What it shows is decided in `App.svelte`.
import "./theme/base.css";
import { mount } from "svelte";
import App from "./App.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("the page has no element #app");
mount(App, { target });
