// Checks over HTTP and HTTPS, as the runner begins them: website monitors, and those with more options.
import type { HttpEntry } from '#shared/checks/http/http.ts'
import type { WebsiteEntry } from '#shared/checks/website/website.ts'
import type { CheckContext, Checker, CheckOutcome, RunningCheck } from '../checker.ts'
import { Check, impossible } from './check.ts'
import { httpTarget } from './http-target.ts'
import type { Target } from './target.ts'
import { websiteTarget } from './website-target.ts'

export const checkWebsite: Checker = (entry, context, done) =>
  runningCheck(websiteTarget(entry as WebsiteEntry, context.userAgent), context, done)

export const checkHttp: Checker = (entry, context, done) =>
  runningCheck(httpTarget(entry as HttpEntry, context.userAgent), context, done, { value: null })

function runningCheck(
  target: Target | null,
  context: CheckContext,
  done: (outcome: CheckOutcome) => void,
  ofKind: Partial<CheckOutcome> = {},
): RunningCheck {
  if (target !== null) return new Check(target, context, done)
  return { start: () => done({ ...impossible, ...ofKind }), abandon: () => undefined }
}
