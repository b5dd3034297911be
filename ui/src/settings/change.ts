// Asks for a change of settings and tells a failure. What holds is seen when the engine says so.
import type { Settings } from "../protocol";
import type { App } from "../state";

export async function change(app: App, changes: Partial<Settings>): Promise<void> {
  try {
    await app.settings.change(changes);
  } catch (error) {
    app.failed(error);
  }
}
