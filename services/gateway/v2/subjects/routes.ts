// Every route of spec B under /v2/subjects but the delivery table's. Checks come in the spec's order: key and route before these
// handlers, then workspace, object, role, JSON, fields, and the state, which the subject's keeper knows.
import type { FastifyInstance } from 'fastify'
import { answering, type Call } from '../../answer.ts'
import type { GatewayContext } from '../../context.ts'
import { acknowledge } from './acknowledge.ts'
import { listIncidents } from './incidents.ts'
import { cancelMaintenance, getMaintenance, moveMaintenance, startMaintenance } from './maintenance.ts'
import { createReporter } from './observations.ts'
import { createRule, deleteRule, getRule, listRules, replaceRule } from './rules.ts'
import { createSignal, deleteSignal, getSignal, listSignals, updateSignal } from './signals.ts'
import { createSubject, getSubject, listSubjects } from './subjects.ts'

type Method = 'GET' | 'POST' | 'DELETE'
type Handler = (context: GatewayContext, call: Call) => Promise<unknown>

const all = '/subjects'
const one = `${all}/:subject`
const signals = `${one}/signals`
const rules = `${one}/rules`
const maintenance = `${one}/maintenance`

const routes: readonly [method: Method, path: string, handler: Handler][] = [
  ['GET', all, listSubjects],
  ['POST', all, createSubject],
  ['GET', one, getSubject],
  ['GET', signals, listSignals],
  ['POST', signals, createSignal],
  ['GET', `${signals}/:signal`, getSignal],
  ['POST', `${signals}/:signal`, updateSignal],
  ['DELETE', `${signals}/:signal`, deleteSignal],
  ['GET', rules, listRules],
  ['POST', rules, createRule],
  ['GET', `${rules}/:rule`, getRule],
  ['POST', `${rules}/:rule`, replaceRule],
  ['DELETE', `${rules}/:rule`, deleteRule],
  ['GET', `${one}/incidents`, listIncidents],
  ['POST', `${one}/incidents/:incident/acknowledge`, acknowledge],
  ['GET', maintenance, getMaintenance],
  ['POST', maintenance, startMaintenance],
  ['POST', `${maintenance}/ends_at`, moveMaintenance],
  ['DELETE', maintenance, cancelMaintenance],
]

export function subjectRoutes(fastify: FastifyInstance, context: GatewayContext): void {
  for (const [method, url, handler] of routes) {
    fastify.route({ method, url, handler: answering(context.clock, call => handler(context, call)) })
  }
  fastify.post(`${signals}/:signal/observations`, answering(context.clock, createReporter(context)))
}
