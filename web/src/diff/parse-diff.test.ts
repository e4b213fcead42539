import { describe, expect, it } from 'vitest'
import { parseDiff } from './parse-diff.ts'

describe('a diff of git', () => {
  it('is read with its lines and their numbers', () => {
    const text = `diff --git a/src/a.js b/src/a.js
index 1..2 100644
--- a/src/a.js
+++ b/src/a.js
@@ -3,3 +3,3 @@ function a() {
 same
-old
+new
\\ No newline at end of file
`
    expect(parseDiff(text)).toEqual([
      {
        path: 'src/a.js',
        from: null,
        change: 'changed',
        isBinary: false,
        added: 1,
        removed: 1,
        hunks: [
          {
            head: '@@ -3,3 +3,3 @@ function a() {',
            lines: [
              { kind: 'same', text: 'same', before: 3, after: 3 },
              { kind: 'removed', text: 'old', before: 4, after: null },
              { kind: 'added', text: 'new', before: null, after: 4 },
              { kind: 'note', text: ' No newline at end of file', before: null, after: null },
            ],
          },
        ],
      },
    ])
  })

  it.each([
    ['new', 'new file mode 100644\n--- /dev/null\n+++ b/x', { path: 'x', change: 'added' }],
    ['deleted', 'deleted file mode 100644\n--- a/x\n+++ /dev/null', { path: 'x', change: 'deleted' }],
    [
      'renamed',
      'similarity index 100%\nrename from x\nrename to y',
      { path: 'y', from: 'x', change: 'renamed' },
    ],
    [
      'binary, with its content',
      'GIT binary patch\nliteral 3\nKcmZQzU|?uq0000',
      { path: 'x', isBinary: true },
    ],
    [
      'renamed from a name in another script',
      'rename from "\\303\\244"\nrename to y',
      { path: 'y', from: 'ä' },
    ],
    ['binary', 'Binary files a/x and b/x differ', { path: 'x', isBinary: true }],
    ['of changed mode', 'old mode 100644\nnew mode 100755', { path: 'x', change: 'changed' }],
    [
      'named in another script',
      '--- "a/\\303\\244 \\"b\\".js"\n+++ "b/\\303\\244 \\"b\\".js"',
      { path: 'ä "b".js' },
    ],
  ])('says that a file is %s', (_name, head, expected) => {
    expect(parseDiff(`diff --git a/x b/x\n${head}\n`)).toMatchObject([expected])
  })

  it('is cut into its files only where one begins, not where a changed line says so', () => {
    const text = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-diff --git a/y b/y\n+--- a/z\n'
    expect(parseDiff(text)).toMatchObject([{ path: 'x', added: 1, removed: 1 }])
  })

  it('is read though a secret of several lines was taken out of it', () => {
    const text = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,4 @@\n a\n+[redacted: private key]\n b\n'
    expect(parseDiff(text)).toMatchObject([{ path: 'x', added: 1, removed: 0 }])
  })

  it('that is none has no files', () => expect(parseDiff('hello\n')).toEqual([]))
})
