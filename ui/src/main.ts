// Puts the app into the page, on the surroundings that are there: the desktop program, or an engine in the page for looking at it.
import "./theme/base.css";
import { mount } from "svelte";
import AppFrame from "./App.svelte";
import { TauriHost } from "./host/tauri/host";
import { App } from "./state";

const target = document.getElementById("app");
if (!target) throw new Error("the page has no element #app");
mount(AppFrame, { target, props: { app: new App(new TauriHost()) } });
