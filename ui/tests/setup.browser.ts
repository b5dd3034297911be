// What every component test starts from: the product's styles, light, in English.
import { beforeEach } from "vitest";
import { language } from "../src/locales";
import { wearTheme } from "../src/theme/theme";
import "../src/theme/base.css";

beforeEach(() => {
  language.set("en");
  wearTheme("light");
});
