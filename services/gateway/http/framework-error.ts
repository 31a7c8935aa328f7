// Requests that Fastify itself refuses with a 4xx. The client is at fault: `malformed`. Each dialect writes its own sentence.
import type { FastifyError } from 'fastify'
import { AppError } from '#shared/errors.ts'

export function fromFramework(error: unknown, details: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { code, statusCode = 500 } = error as FastifyError
  if (code === undefined || !code.startsWith('FST_') || statusCode >= 500) return error
  return new AppError('malformed', 'Invalid request', { details })
}
