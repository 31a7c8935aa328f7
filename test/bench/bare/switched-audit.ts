// Preloaded module for measurements with and without the audit in one process: SIGUSR2 switches the audit off, and on again. Measurements
// within one process are comparable; measurements in two processes are not. While the audit is off, each request still runs an empty hook.
// The installation itself has no such setting.
import { registerHooks } from 'node:module'

const audit = '/services/gateway/audit/audit.ts'
const source = `
import { createAudit as create } from './audit.ts?unswitched'
let isOn = true
process.on('SIGUSR2', () => { isOn = !isOn })
export const createAudit = (...means) => {
  const audit = create(...means)
  const hooked = fastify => ({
    addHook: (name, hook) => fastify.addHook(name, (request, reply, payload, done) =>
      isOn ? hook(request, reply, payload, done) : done(null, payload)),
  })
  return { ...audit, watch: fastify => audit.watch(hooked(fastify)) }
}`

registerHooks({
  load: (url, context, next) => (url.endsWith(audit) ? { format: 'module', shortCircuit: true, source } : next(url, context)),
})
