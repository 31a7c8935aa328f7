// Preload for a system that is compared with one that audits: its gateway keeps no rows. The installation itself has no such setting.
import { registerHooks } from 'node:module'

const audit = '/services/gateway/audit/audit.ts'
const source = 'export const createAudit = () => ({ watch() {}, keep() {}, stop: async () => {} })'

registerHooks({
  load: (url, context, next) => (url.endsWith(audit) ? { format: 'module', shortCircuit: true, source } : next(url, context)),
})
