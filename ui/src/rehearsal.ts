// The app with an engine in the page, for tests and for looking at the window while building. It is not part of the product.
// `?world=empty` starts without a project, `?speed=` makes time run faster, `?theme=` and `?lang=` choose the looks.
import "./theme/base.css";
import { mount } from "svelte";
import AppFrame from "./App.svelte";
import { FakeHost, lived } from "./host/fake";
import { App } from "./state";
import type { Theme } from "./protocol";

const asked = new URLSearchParams(location.search);
const target = document.getElementById("app");
if (!target) throw new Error("the page has no element #app");
const options = { speed: Number(asked.get("speed") ?? "1") };
const host = asked.get("world") === "empty" ? new FakeHost(options) : await lived(options);
host.settings = { ...host.settings, theme: (asked.get("theme") ?? "system") as Theme, language: asked.get("lang") };
const app = new App(host);
Object.assign(window, { rehearsal: { host, app } });
mount(AppFrame, { target, props: { app } });
