// Code in colours, made by a worker: asked for once per text, remembered, and given up when it takes too long.
// It never blocks and never fails: without an answer the code is plain.
import type { Answer, Ask, ColouredLine } from "./lines";

export { languageId, languageOfPath, type Grammar } from "./languages";
export type { ColouredLine } from "./lines";
export { default as Spans } from "./Spans.svelte";

/** Longer texts (characters) stay plain: nobody reads them in colour, and they'd hold up the others. */
const LONGEST = 200_000;
/** A grammar that takes longer (ms) has met a text made against it: the worker is ended. */
const PATIENCE = 10_000;
const REMEMBERED = 300;

type Lines = readonly ColouredLine[] | null;

const memory = new Map<string, Lines | Promise<Lines>>();
const waiting = new Map<number, (lines: Lines) => void>();
let worker: Worker | undefined;
/** Runs while something is waiting, anew after each answer: many texts at once are no reason to give up. */
let watchdog: ReturnType<typeof setTimeout> | undefined;
let last = 0;

/** The lines in colour: at once when they are known, else when the worker has them; null means plain. */
export function highlight(language: string | null, text: string): Lines | Promise<Lines> {
  if (language === null || text.length > LONGEST || text === "") return null;
  const key = `${language}\n${text}`;
  const known = memory.get(key);
  if (known !== undefined) return known;
  const asked = ask(language, text).then((lines) => {
    // No answer is no knowledge: the next time it is asked again.
    if (lines === null) memory.delete(key);
    else memory.set(key, lines);
    return lines;
  });
  memory.set(key, asked);
  if (memory.size > REMEMBERED) {
    const oldest = memory.keys().next().value;
    if (oldest !== undefined) memory.delete(oldest);
  }
  return asked;
}

function ask(language: string, text: string): Promise<Lines> {
  return new Promise((done) => {
    last += 1;
    const id = last;
    waiting.set(id, done);
    worker ??= start();
    watchdog ??= setTimeout(giveUp, PATIENCE);
    worker.postMessage({ id, language, text } satisfies Ask);
  });
}

function start(): Worker {
  const fresh = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  fresh.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    const done = waiting.get(data.id);
    waiting.delete(data.id);
    clearTimeout(watchdog);
    watchdog = waiting.size > 0 ? setTimeout(giveUp, PATIENCE) : undefined;
    done?.(data.lines);
  });
  fresh.addEventListener("error", giveUp);
  return fresh;
}

/** Everything that is waiting stays plain; the next question gets a new worker. */
function giveUp(): void {
  worker?.terminate();
  worker = undefined;
  clearTimeout(watchdog);
  watchdog = undefined;
  for (const done of waiting.values()) done(null);
  waiting.clear();
}
