// Credentials of this process on the bus, and the keys with which the directory makes those of probers.
import { day } from '#shared/limits/limits.ts'
import type { Facts } from '../facts.ts'
import { type Finding, fault, warning, well } from '../finding.ts'

const soonMs = 30 * day

export function checkCredentials({ credentials, at }: Facts): Finding[] {
  if (credentials === null) return []
  const { expiresAt, fitsKeys } = credentials
  if (!fitsKeys)
    return [
      fault(
        'NATS_KEYS is of another bus than NATS_CREDENTIALS.',
        'The bus would refuse every prober whose credentials this directory makes.',
        'Take both files from the folder that one `./watchkeeper cluster secrets` or `./watchkeeper bus keys` has made.',
      ),
    ]
  if (expiresAt === null) return [well('The credentials for the bus never end.')]
  const date = new Date(expiresAt).toISOString().slice(0, 10)
  const remedy = 'Make new credentials, put them into the file that NATS_CREDENTIALS names, and restart.'
  if (expiresAt <= at) return [fault(`The credentials for the bus ended on ${date}.`, 'The bus refuses this process.', remedy)]
  if (expiresAt - at < soonMs)
    return [warning(`The credentials for the bus end on ${date}.`, 'From then on the bus refuses this process.', remedy)]
  return [well(`The credentials for the bus end on ${date}.`)]
}
