// What a type check doesn't see. Import rules and sizes are in tests/architecture.test.ts.
import svelte from "eslint-plugin-svelte";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["**/dist/**", "**/src/paraglide/**", "**/src/protocol/**", "**/project.inlang/**", "**/tests/window/**"] },
  ...ts.configs.recommended,
  ...svelte.configs["flat/recommended"],
  {
    languageOptions: { parserOptions: { extraFileExtensions: [".svelte"] } },
    rules: {
      "no-eval": "error",
      "no-new-func": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: {
      "svelte/no-at-html-tags": "error",
      "svelte/no-target-blank": "error",
      "svelte/button-has-type": "error",
      // A space or a line break that must be kept can only be written so.
      "svelte/no-useless-mustaches": "off",
      // Sets and maps that are replaced as a whole are plain on purpose.
      "svelte/prefer-svelte-reactivity": "off",
    },
  },
);
