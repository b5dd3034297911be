// Files of a project that steer the model, shown before they are trusted.
export { default as SteeringBar } from "./SteeringBar.svelte";
