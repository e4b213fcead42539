import fc from 'fast-check'

// Every run tries the same cases, so that only a change of the code changes the result; another FIXPOINT_SEED tries other cases.
fc.configureGlobal({ seed: Number(process.env['FIXPOINT_SEED'] ?? 20_260_101) })
