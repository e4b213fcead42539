/** What a fixer keeps in mind, by the class of the issue. */

export const engineeringPrinciples = `- Solve the cause, not the symptom. The smallest change that does so is the best one.
- Keep what works: behaviour that nobody complained about stays as it is.
- Fit in: names, structure, error handling and style as in the code around the change.
- Handle the edges: empty, missing, wrong, very large, twice, at the same time.
- Fail loudly: an error is handled or passed on, never swallowed.
- No dead code, no commented-out code, no new dependency without need.`

export const devBe = `- Check input where it enters; never build commands, queries or paths from unchecked text.
- Release what you open, also when something fails: files, connections, locks, timers.
- Say what is asynchronous: await it, bound it with a timeout, and let it be cancelled where the code around does so.
- Keep transactions short and complete; make what may be repeated safe to repeat.
- Log what helps to understand a failure, never a secret.`

export const devFe = `- Derive what can be derived; keep each piece of state in one place.
- Clean up what an effect starts. List all its dependencies.
- Show loading, empty and error states. A slow or failed request must not leave the page broken.
- Use real controls with names; everything works with a keyboard.
- Never put untrusted text into HTML. Keep the bundle small.`
