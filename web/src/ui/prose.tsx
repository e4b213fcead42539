import { visible } from './visible.ts'

/** Text of a finding; what stands between backticks is code. */
export const Prose = ({ text }: { readonly text: string }) =>
  visible(text)
    .split(/`([^`\s](?:[^`]*[^`\s])?)`/)
    .map((part, index) =>
      index % 2 === 0 ? (
        part
      ) : (
        <code key={index} className="rounded bg-sunken px-1 py-px font-mono text-[0.92em]">
          {part}
        </code>
      ),
    )
