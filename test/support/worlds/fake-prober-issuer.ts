// Issuer of prober credentials without the bus's keys. Tests of probers use real signatures.
import type { ProberIssuer } from '#shared/bus/probers/prober-issuer.ts'

export const fakeProberIssuer: ProberIssuer = {
  issue: (credentialId, locationId) => ({
    publicKey: `U${credentialId}`,
    credentials: `secret of ${credentialId} in ${locationId}`,
  }),
  announce: async () => undefined,
  removeForeignConsumers: async () => 0,
}
