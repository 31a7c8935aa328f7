// A check over HTTP and HTTPS, as the runner begins it.
import type { WebsiteEntry } from '#shared/checks/website/website.ts'
import type { Checker } from '../checker.ts'
import { Check, impossible } from './check.ts'
import { compileTarget } from './target.ts'

export const checkHttp: Checker = (entry, context, done) => {
  const target = compileTarget(entry as WebsiteEntry, context.userAgent)
  return target === null ? { start: () => done(impossible), abandon: () => undefined } : new Check(target, context, done)
}
