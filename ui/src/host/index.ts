// The window's surroundings, as the state sees them. Which form is used is decided in `main.ts`.
export { asFailure, type Host, type Method, type Params, type Result } from "./host";
