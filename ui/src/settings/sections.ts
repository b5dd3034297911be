// Names of the sections of the settings, for whoever opens one of them.
export type Section = "providers" | "model" | "concurrency" | "memory" | "appearance" | "language";
