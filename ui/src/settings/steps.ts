// What came of a provider's test, in words. What the server or the system said stands behind them as it was said.
import { failureWords } from "../failures";
import { m } from "../locales";
import type { TestStep, Trouble } from "../protocol";

export function stepWords(step: TestStep): string {
  switch (step.step) {
    case "listed":
      return step.trouble ? m.settings_step_not_listed({ address: step.address, trouble: troubleWords(step.trouble) }) : m.settings_step_listed({ address: step.address });
    case "asked":
      return step.trouble ? m.settings_step_not_asked({ address: step.address, trouble: troubleWords(step.trouble) }) : m.settings_step_asked({ address: step.address });
    case "key-unreadable":
      return m.settings_step_key({ message: step.message });
    case "unusable":
      return m.settings_step_unusable({ message: step.message });
  }
}

function troubleWords({ kind, message }: Trouble): string {
  return m.settings_step_trouble({ words: failureWords(kind), message });
}
