import fc from 'fast-check'

// Every run tries the same cases, so that a change is judged by what it changes; another FIXPOINT_SEED tries others.
fc.configureGlobal({ seed: Number(process.env['FIXPOINT_SEED'] ?? 20_260_101) })
