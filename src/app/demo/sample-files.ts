/** Text by path. */
export type SampleFiles = Readonly<Record<string, string>>
