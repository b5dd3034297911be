// What can be asked of Assent itself with a slash at the beginning of a message. One more command is one more entry here.
import { notify, warn } from "../controls";
import { m } from "../locales";
import type { Mode, ModelChoice } from "../protocol";
import type { App, Conversation } from "../state";

export type Choice = { value: string; label: string };

export type Command = {
  name: string;
  description: () => string;
  /** What may follow it: nothing, one of its choices, or words. */
  takes: "nothing" | "choice" | "words";
  choices?: () => Promise<readonly Choice[]>;
  run: (words: string) => void | Promise<void>;
};

const MODES: readonly Mode[] = ["ask", "auto", "plan"];
const described: Record<Mode, () => string> = { ask: m.chat_mode_ask_detail, auto: m.chat_mode_auto_detail, plan: m.chat_mode_plan_detail };

/** All commands, in the order of the list. */
export function commandsOf(app: App, conversation: Conversation, onhelp: () => void): Command[] {
  const { id } = conversation;

  async function clear(): Promise<void> {
    const fresh = await app.ask("clear", { conversation: id });
    if (!fresh) return;
    app.conversations.put(fresh);
    await app.open(fresh.id);
  }

  async function exported(): Promise<void> {
    const text = await app.ask("export", { conversation: id, format: "markdown" });
    if (text === undefined) return;
    await app.host.copy(text).then(() => notify(m.sidebar_exported()), (error) => app.failed(error));
  }

  async function setMode(word: string): Promise<void> {
    const mode = MODES.find((known) => known === word.toLowerCase());
    if (mode) await app.ask("set_mode", { conversation: id, mode });
    else warn(m.command_mode_unknown({ word }));
  }

  const models = async (): Promise<ModelChoice[]> => ((await app.ask("models", {})) ?? []).map(({ choice }) => choice);
  const label = (choice: ModelChoice): string => choice.label || choice.model;

  async function setModel(word: string): Promise<void> {
    const found = (await models()).find((choice) => [label(choice), choice.model].some((name) => name.toLowerCase() === word.toLowerCase()));
    if (found) await app.ask("set_model", { conversation: id, choice: found });
    else warn(m.command_model_unknown({ word }));
  }

  return [
    { name: "compact", description: m.command_compact, takes: "words", run: async (words) => void (await app.ask("compact", { conversation: id, instructions: words || null })) },
    { name: "clear", description: m.command_clear, takes: "nothing", run: clear },
    { name: "model", description: m.command_model, takes: "choice", choices: async () => (await models()).map((choice) => ({ value: choice.model, label: label(choice) })), run: setModel },
    { name: "mode", description: m.command_mode, takes: "choice", choices: () => Promise.resolve(MODES.map((mode) => ({ value: mode, label: described[mode]() }))), run: setMode },
    { name: "export", description: m.command_export, takes: "nothing", run: exported },
    { name: "help", description: m.command_help, takes: "nothing", run: onhelp },
  ];
}

/** The command that a whole text is, with its words; null: it is a message. */
export function commandIn(text: string, commands: readonly Command[]): { command: Command; words: string } | null {
  const parts = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  const command = commands.find(({ name }) => name === parts?.[1]);
  const words = (parts?.[2] ?? "").trim();
  if (!command || (command.takes === "nothing") !== (words === "") && command.takes !== "words") return null;
  return { command, words };
}
