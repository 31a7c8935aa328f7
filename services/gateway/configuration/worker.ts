// Script of configuration files as a browser's worker: the bundle at `/assets/configuration.js`.
import { type ScriptPort, serveScript } from './serve-script.ts'

declare const self: ScriptPort

serveScript(self)
