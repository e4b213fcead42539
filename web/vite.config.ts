import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2024',
    // Small files as `data:` addresses would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The page uses types and a few functions of the model; the schemas beside them are left out.
      // `prefixed` and `objectName` make the schemas of ids.
      treeshake: { manualPureFunctions: ['z', 'prefixed', 'objectName'], propertyReadSideEffects: false },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4646' } },
})
