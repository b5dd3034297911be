// Which icon and which verb a tool has. A tool that isn't known here is shown under its own name.
import Bot from "@lucide/svelte/icons/bot";
import BookMarked from "@lucide/svelte/icons/book-marked";
import Brain from "@lucide/svelte/icons/brain";
import FileInput from "@lucide/svelte/icons/file-input";
import FilePen from "@lucide/svelte/icons/file-pen";
import FilePlus from "@lucide/svelte/icons/file-plus";
import FileSearch from "@lucide/svelte/icons/file-search";
import FileText from "@lucide/svelte/icons/file-text";
import Folder from "@lucide/svelte/icons/folder";
import GitBranch from "@lucide/svelte/icons/git-branch";
import GitCommit from "@lucide/svelte/icons/git-commit-horizontal";
import GitCompare from "@lucide/svelte/icons/git-compare";
import GitMerge from "@lucide/svelte/icons/git-merge";
import Globe from "@lucide/svelte/icons/globe";
import History from "@lucide/svelte/icons/history";
import Info from "@lucide/svelte/icons/info";
import ListTodo from "@lucide/svelte/icons/list-todo";
import ListTree from "@lucide/svelte/icons/list-tree";
import MessageCircleQuestion from "@lucide/svelte/icons/message-circle-question-mark";
import Search from "@lucide/svelte/icons/search";
import SquareTerminal from "@lucide/svelte/icons/square-terminal";
import TextCursorInput from "@lucide/svelte/icons/text-cursor-input";
import Trash from "@lucide/svelte/icons/trash-2";
import Wrench from "@lucide/svelte/icons/wrench";
import type { Component } from "svelte";
import { m } from "../locales";

type Verb = {
  icon: Component<{ size?: number | string }>;
  /** It happened, it happens, it would happen. */
  done: () => string;
  now: () => string;
  plan: () => string;
  /** What it is about is said in a person's words, not in those of a machine. */
  prose?: boolean;
};

const verb = (icon: Verb["icon"], done: () => string, now: () => string, plan: () => string): Verb => ({ icon, done, now, plan });
const prose = (given: Verb): Verb => ({ ...given, prose: true });

const VERBS: Record<string, Verb> = {
  read_file: verb(FileText, m.tools_read_done, m.tools_read_now, m.tools_read_plan),
  list_directory: verb(Folder, m.tools_list_done, m.tools_list_now, m.tools_list_plan),
  file_info: verb(Info, m.tools_info_done, m.tools_info_now, m.tools_info_plan),
  search_files: verb(FileSearch, m.tools_find_done, m.tools_find_now, m.tools_find_plan),
  grep: verb(Search, m.tools_search_done, m.tools_search_now, m.tools_search_plan),
  read_symbol: verb(ListTree, m.tools_outline_done, m.tools_outline_now, m.tools_outline_plan),
  git_status: verb(GitCompare, m.tools_status_done, m.tools_status_now, m.tools_status_plan),
  git_diff: verb(GitCompare, m.tools_diff_done, m.tools_diff_now, m.tools_diff_plan),
  git_log: verb(History, m.tools_history_done, m.tools_history_now, m.tools_history_plan),
  git_commit: verb(GitCommit, m.tools_commit_done, m.tools_commit_now, m.tools_commit_plan),
  git_branch: verb(GitBranch, m.tools_branch_done, m.tools_branch_now, m.tools_branch_plan),
  git_merge: verb(GitMerge, m.tools_merge_done, m.tools_merge_now, m.tools_merge_plan),
  write_file: verb(FilePlus, m.tools_write_done, m.tools_write_now, m.tools_write_plan),
  patch_file: verb(FilePen, m.tools_edit_done, m.tools_edit_now, m.tools_edit_plan),
  append_file: verb(FileInput, m.tools_append_done, m.tools_append_now, m.tools_append_plan),
  delete_file: verb(Trash, m.tools_delete_done, m.tools_delete_now, m.tools_delete_plan),
  rename_file: verb(TextCursorInput, m.tools_rename_done, m.tools_rename_now, m.tools_rename_plan),
  run_command: verb(SquareTerminal, m.tools_run_done, m.tools_run_now, m.tools_run_plan),
  http_request: verb(Globe, m.tools_request_done, m.tools_request_now, m.tools_request_plan),
  web_fetch: verb(Globe, m.tools_request_done, m.tools_request_now, m.tools_request_plan),
  memory: verb(Brain, m.tools_remember_done, m.tools_remember_now, m.tools_remember_plan),
  recall_memory: verb(Brain, m.tools_recall_done, m.tools_recall_now, m.tools_recall_plan),
  session_search: verb(BookMarked, m.tools_search_done, m.tools_search_now, m.tools_search_plan),
  todo: prose(verb(ListTodo, m.tools_plan_done, m.tools_plan_now, m.tools_plan_plan)),
  dispatch_agent: prose(verb(Bot, m.tools_agent_done, m.tools_agent_now, m.tools_agent_plan)),
  ask_user: prose(verb(MessageCircleQuestion, m.tools_ask_done, m.tools_ask_now, m.tools_ask_plan)),
};

export function verbOf(tool: string): Verb {
  const named = (): string => tool;
  return (Object.hasOwn(VERBS, tool) ? VERBS[tool] : undefined) ?? verb(Wrench, named, named, named);
}
