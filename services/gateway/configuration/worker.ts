// Entry of the browser's worker that plans configuration files. Its bundle is served at `/assets/configuration.js`.
import { type ScriptPort, serveScript } from './serve-script.ts'

declare const self: ScriptPort

serveScript(self)
