/** Runs one command line and says how it ended. */
export async function main(argv: readonly string[]): Promise<number> {
  console.error(`fixpoint: unknown command ${argv[0] ?? ''}`.trimEnd())
  return 2
}
