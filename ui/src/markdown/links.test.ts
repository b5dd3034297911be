import { expect, test } from "vitest";
import { openable } from "./links";

test("p85_only_http_https_and_mailto_can_be_opened", () => {
  for (const href of ["https://example.com/a", "http://example.com", "mailto:a@example.com", "HTTPS://EXAMPLE.COM/"]) expect(openable(href)?.href, href).toBeTruthy();
  for (const href of [
    "file:///etc/passwd", "smb://host/share", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)", " javascript:alert(1)", "\u0001javascript:alert(1)",
    "ms-msdt:/id", "vscode://file/x", "data:text/html,x", "blob:https://x/y", "tauri://localhost", "ipc://localhost", "ftp://x/y", "//example.com/x", "/etc/passwd", "C:\\Windows\\x", "\\\\host\\share", "#top", "", "about:blank", "view-source:https://x",
  ]) expect(openable(href), href).toBeNull();
});

test("p85_the_parsed_form_is_what_counts", () => {
  expect(openable("https://example.com\\@evil.example/")?.host).toBe("example.com");
  expect(openable("https://аpple.com/")?.host).toMatch(/^xn--/);
  expect(openable("https://ex\tample.com/")?.host).toBe("example.com");
  expect(openable("https://bank.example@evil.example/")).toBeNull();
});
