const runners =
  /^(?:npx (?:--no-install )?|bunx |pnpm exec |yarn (?:run )?|python[\d.]* -m |\.?\/?node_modules\/\.bin\/)?(?:vitest(?: run)?|jest|pytest|mocha)(?= |$)|^(?:bundle exec |bin\/)?rspec(?= |$)/
const nodeTest = /^node(?: --?[\w-]+(?:=\S+)?)* --test(?: --?[\w-]+(?:=\S+)?)*(?= |$)/
const script = /^(npm|pnpm|yarn)(?: --silent| -s)? (?:run(?:-script)? )?([\w:.-]+)$/
/** Anything that a shell would do beyond starting one program. */
export const isComposed = /[;&|<>$`()\\\n"']/

const isPlain = /^[\w@.][\w@./-]*$/

/** The command for these test files alone, where its runner is known to take files; else the command as it is. */
export function narrowCommand(
  run: string,
  files: readonly string[],
  scripts: Readonly<Record<string, unknown>>,
): string {
  const written = run.trim()
  if (isComposed.test(written) || files.some((file) => !isPlain.test(file))) return run
  const list = files.join(' ')
  const [, manager, name = ''] = script.exec(written) ?? []
  if (manager !== undefined) {
    const inner = scripts[name === 't' ? 'test' : name]
    const isKnown = typeof inner === 'string' && !isComposed.test(inner) && takesFiles(inner)
    return isKnown ? `${written}${manager === 'npm' ? ' --' : ''} ${list}` : run
  }
  const [node] = nodeTest.exec(written) ?? []
  if (node !== undefined) return `${node} ${list}`
  return takesFiles(written) ? `${written} ${list}` : run
}

/** A runner that is given no files yet: one more would come on top of those. */
const takesFiles = (run: string): boolean => {
  const [start] = runners.exec(run) ?? nodeTest.exec(run) ?? []
  return (
    start !== undefined &&
    run
      .slice(start.length)
      .split(' ')
      .every((word) => word === '' || word.startsWith('-'))
  )
}
