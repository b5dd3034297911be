// The surroundings when the page runs in the desktop program: each method is a Tauri command of its name, and all signals come
// through one ordered channel. The only folder that knows Tauri.
import { Channel, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWindow } from "@tauri-apps/api/window";
import { open } from "@tauri-apps/plugin-dialog";
import { openUrl } from "@tauri-apps/plugin-opener";
import type { ConversationId, ConversationRow, ExportFormat, ProjectId, Signal } from "../../protocol";
import { asFailure, type Host, type Method, type Params, type Result } from "../host";

/** The event with which a later start of the program says that it named a folder. */
const FOLDER_WAITS = "launch-folder";
/** The event with which the program says that a conversation's notice was clicked. */
const SHOW_CONVERSATION = "show-conversation";

export class TauriHost implements Host {
  readonly platform = platformOf(navigator.userAgent);

  async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    try {
      return await invoke<Result<M>>(method, { params });
    } catch (error) {
      throw asFailure(error);
    }
  }

  subscribe(fn: (signals: Signal[]) => void): () => void {
    const channel = new Channel<Signal[]>();
    channel.onmessage = fn;
    void invoke("subscribe", { channel });
    return () => {
      channel.onmessage = () => undefined;
    };
  }

  async pickFolder(title: string): Promise<string | null> {
    const picked = await open({ directory: true, multiple: false, title });
    return typeof picked === "string" ? picked : null;
  }

  openExternal(url: string): Promise<void> {
    return openUrl(url);
  }

  copy(text: string): Promise<void> {
    return navigator.clipboard.writeText(text);
  }

  async saveExport(conversation: ConversationId, format: ExportFormat, title: string): Promise<boolean> {
    try {
      return await invoke<boolean>("save_export", { conversation, format, title });
    } catch (error) {
      throw asFailure(error);
    }
  }

  async importFile(project: ProjectId | null): Promise<ConversationRow | null> {
    try {
      return await invoke<ConversationRow | null>("import_file", { project });
    } catch (error) {
      throw asFailure(error);
    }
  }

  setTitle(title: string): void {
    document.title = title;
    void getCurrentWindow().setTitle(title);
  }

  onCloseRequested(mayClose: () => Promise<boolean>): () => void {
    return ends(
      getCurrentWindow().onCloseRequested(async (event) => {
        if (!(await mayClose())) event.preventDefault();
      }),
    );
  }

  async keepRunning(): Promise<void> {
    await invoke("keep_running");
  }

  onShowConversation(fn: (conversation: ConversationId) => void): () => void {
    return ends(listen<ConversationId>(SHOW_CONVERSATION, ({ payload }) => fn(payload)));
  }

  onLaunchFolder(fn: (folder: string) => void): () => void {
    const fetch = async (): Promise<void> => {
      const folder = await invoke<string | null>("launch_folder");
      if (folder !== null) fn(folder);
    };
    void fetch();
    return ends(listen(FOLDER_WAITS, fetch));
  }
}

/** Ends a listener that may not have begun yet. */
function ends(listening: Promise<() => void>): () => void {
  return () => void listening.then((stop) => stop());
}

function platformOf(agent: string): Host["platform"] {
  if (/Mac/.test(agent)) return "mac";
  return /Windows/.test(agent) ? "windows" : "linux";
}
