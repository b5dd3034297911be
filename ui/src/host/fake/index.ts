// The engine in the page, and the samples it starts with.
export { FakeHost, practice, type FakeOptions } from "./host";
export { lived } from "./world";
