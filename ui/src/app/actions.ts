// Everything that can be done from anywhere, with its shortcut: what the palette offers and the keyboard obeys. It does nothing itself.
import Archive from "@lucide/svelte/icons/archive";
import ArrowDown from "@lucide/svelte/icons/arrow-down";
import ArrowUp from "@lucide/svelte/icons/arrow-up";
import ChartColumn from "@lucide/svelte/icons/chart-column";
import CircleStop from "@lucide/svelte/icons/circle-stop";
import Copy from "@lucide/svelte/icons/copy";
import FileBraces from "@lucide/svelte/icons/file-braces";
import FileCode from "@lucide/svelte/icons/file-code";
import FileInput from "@lucide/svelte/icons/file-input";
import FileText from "@lucide/svelte/icons/file-text";
import FolderOpen from "@lucide/svelte/icons/folder-open";
import Inbox from "@lucide/svelte/icons/inbox";
import Layers from "@lucide/svelte/icons/layers";
import Languages from "@lucide/svelte/icons/languages";
import PanelLeft from "@lucide/svelte/icons/panel-left";
import PanelRight from "@lucide/svelte/icons/panel-right";
import Palette from "@lucide/svelte/icons/palette";
import Search from "@lucide/svelte/icons/search";
import SettingsIcon from "@lucide/svelte/icons/settings-2";
import Shield from "@lucide/svelte/icons/shield";
import SquarePen from "@lucide/svelte/icons/square-pen";
import { notify } from "../controls";
import { languages, m } from "../locales";
import type { Action } from "../palette";
import type { ExportFormat, Settings } from "../protocol";
import { change } from "../settings/change";
import { sections, type Section } from "../settings/sections";
import type { App } from "../state";

/** What only the window itself can do. */
export type Moves = {
  begin: () => void;
  pickFolder: () => void;
  search: () => void;
  showInbox: () => void;
  showContext: () => void;
  showUsage: () => void;
  showSettings: (section?: Section) => void;
  step: (by: number) => void;
  toggleSidebar: () => void;
  togglePanel: () => void;
  importFile: () => void;
};

export function actions(app: App, moves: Moves): Action[] {
  const doing = (id: string, icon: Action["icon"], label: string, run: () => void, keys?: string): Action => ({ id, group: "actions", icon, label, run, ...(keys ? { keys } : {}) });
  return [
    doing("new", SquarePen, m.sidebar_new(), moves.begin, "Mod+N"),
    doing("folder", FolderOpen, m.sidebar_open_folder(), moves.pickFolder, "Mod+O"),
    doing("import", FileInput, m.sidebar_import(), moves.importFile),
    doing("search", Search, m.sidebar_search(), moves.search, "/"),
    doing("inbox", Inbox, m.action_inbox(), moves.showInbox),
    ...ofCurrent(app, doing),
    ...(app.shown === null ? [] : [doing("context", Layers, m.action_context(), moves.showContext)]),
    doing("next", ArrowDown, m.action_next(), () => moves.step(1), "Alt+ArrowDown"),
    doing("previous", ArrowUp, m.action_previous(), () => moves.step(-1), "Alt+ArrowUp"),
    doing("sidebar", PanelLeft, m.action_sidebar(), moves.toggleSidebar, "Mod+B"),
    doing("panel", PanelRight, m.action_panel(), moves.togglePanel, "Mod+I"),
    doing("usage", ChartColumn, m.sidebar_usage(), moves.showUsage),
    doing("settings", SettingsIcon, m.sidebar_settings(), () => moves.showSettings(), "Mod+,"),
    ...ofSettings(app, moves),
  ];
}

/** What can be done with the conversation that is looked at. */
function ofCurrent(app: App, doing: (id: string, icon: Action["icon"], label: string, run: () => void) => Action): Action[] {
  const { current } = app.conversations;
  if (!current || app.page !== "conversation") return [];
  const conversation = current.id;
  const modes = { ask: m.chat_mode_ask, auto: m.chat_mode_auto, plan: m.chat_mode_plan } as const;
  const others = (["ask", "auto", "plan"] as const).filter((mode) => mode !== current.row.mode);
  const copy = async (): Promise<void> => {
    const text = await app.ask("export", { format: "markdown", conversation });
    if (text !== undefined) await app.host.copy(text).then(() => notify(m.sidebar_exported()), (error: unknown) => app.failed(error));
  };
  const save = async (format: ExportFormat): Promise<void> => {
    if (await app.save(current.row, format)) notify(m.sidebar_saved());
  };
  return [
    // With cards pending a stop is asked about first, where they are.
    ...(current.busy && current.pending.length === 0 ? [doing("stop", CircleStop, m.action_stop(), () => void app.ask("stop", { conversation }))] : []),
    ...others.map((mode) => doing(`mode ${mode}`, Shield, m.action_mode({ mode: modes[mode]() }), () => void app.ask("set_mode", { conversation, mode }))),
    doing("copy", Copy, m.action_copy(), () => void copy()),
    doing("save markdown", FileText, m.action_save_markdown(), () => void save("markdown")),
    doing("save html", FileCode, m.action_save_html(), () => void save("html")),
    doing("save json", FileBraces, m.action_save_json(), () => void save("json")),
    doing("archive", Archive, current.row.archived ? m.action_unarchive() : m.action_archive(), () => void app.ask("archive", { conversation, archived: !current.row.archived })),
  ];
}

function ofSettings(app: App, moves: Moves): Action[] {
  const values = app.settings.value;
  const setting = (id: string, icon: Action["icon"], label: string, run: () => void): Action => ({ id, group: "settings", icon, label, run, more: m.settings_title() });
  const set = (changes: Partial<Settings>) => () => void change(app, changes);
  const themes = { system: m.settings_theme_system, light: m.settings_theme_light, dark: m.settings_theme_dark } as const;
  return [
    ...sections().map(({ value, label }) => setting(`section ${value}`, SettingsIcon, label, () => moves.showSettings(value))),
    ...(["light", "dark", "system"] as const).filter((theme) => theme !== values?.theme).map((theme) => setting(`theme ${theme}`, Palette, m.action_theme({ theme: themes[theme]() }), set({ theme }))),
    ...languages.filter(({ value }) => value !== values?.language).map(({ value, label }) => setting(`language ${value}`, Languages, m.action_language({ language: label }), set({ language: value }))),
  ];
}
