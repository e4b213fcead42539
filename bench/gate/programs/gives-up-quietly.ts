import type { Program } from '../program.ts'

export const program: Program = {
  name: 'gives-up-quietly',
  source: `export async function retry(run, times) {
  for (let at = 0; at < times; at += 1) {
    try {
      return await run()
    } catch {}
  }
}
export const delays = (times) => Array.from({ length: times }, (_, at) => 2 ** at)
`,
  test: {
    keeps: `let calls = 0; assert.equal(await m.retry(async () => { calls += 1; if (calls < 2) throw new Error('no'); return calls }, 3), 2); assert.deepEqual(m.delays(3), [1, 2, 4])`,
    shows: `await assert.rejects(m.retry(async () => { throw new Error('down') }, 2), /down/)`,
  },
  heldBack: `await assert.rejects(m.retry(async () => { throw new Error('away') }, 4), /away/)`,
  fix: [
    `    } catch {}
`,
    `    } catch (error) {
      if (at === times - 1) throw error
    }
`,
  ],
  partial: [
    `    } catch {}
  }
`,
    `    } catch {}
  }
  return null
`,
  ],
  overfit: [
    `    } catch {}
`,
    `    } catch (error) {
      if (at === 1 && error.message === 'down') throw error
    }
`,
  ],
  breaks: ['2 ** at', '2 * at'],
}
