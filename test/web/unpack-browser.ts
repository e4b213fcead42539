/** Started by `browser.ts`: unpacks the browser into the folder for temporary files. */
import chromium from '@sparticuz/chromium'

await chromium.executablePath()
