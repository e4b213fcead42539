import type { SampleFiles } from './sample-files.ts'
import { sampleModules } from './sample-modules.ts'
import { sampleTests } from './sample-tests.ts'
import { sampleTools } from './sample-tools.ts'

/** A small shop with its own tests and honest mistakes. */
export const sampleFiles: SampleFiles = {
  'README.md': `# Corner shop

Cart, prices, stock and checkout of a small shop, and two tools for its orders. Run the tests with \`npm test\`.
`,

  'AGENTS.md': `# Conventions

- Modules are small and have no dependencies; prices are whole cents.
- Every change keeps \`npm test\` green. Tests are not changed to make a fix pass.
- Tools in \`tools/\` use the Python standard library only.
`,

  'package.json': `{
  "name": "corner-shop",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,

  'fixpoint.yaml': `verify:
  commands:
    - { name: test, run: node --test, timeout: 1m }

# The built-in rules know one fix for each mistake, so a second round would bring nothing new.
agents: { fixer: rules, challenger: rules, reviewers: [rules] }
fix: { max_rounds: 1 }
`,

  ...sampleModules,
  ...sampleTools,
  ...sampleTests,
}
