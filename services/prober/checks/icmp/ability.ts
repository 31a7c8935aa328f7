// Whether this process can ping, found without a ping and without loading the library that makes one. Reads two things of the system.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { withoutPing } from '#shared/checks/icmp/judge.ts'

/** What decides it. Absent members are those of this process. */
export interface PingRights {
  platform: NodeJS.Platform
  /** Content of `/proc/sys/net/ipv4/ping_group_range`; null: there is none. It holds for IPv6 too. */
  range: string | null
  /** Groups of the process. */
  groups: readonly number[]
  /** Whether the library that opens the sockets is installed. */
  hasLibrary: boolean
}

/** Returns why this process cannot ping, a sentence; null: it can. Never throws. */
export function whyNoPings(rights: Partial<PingRights> = {}): string | null {
  const { platform = process.platform, hasLibrary = isInstalled() } = rights
  if (platform !== 'linux' || !hasLibrary) return withoutPing.notSupported
  const { range = readRange(), groups = ownGroups() } = rights
  // An unknown range is no reason: the first check says what the system does.
  const [, least, most] = /^(\d+)\s+(\d+)\s*$/.exec(range ?? '') ?? []
  if (least === undefined || most === undefined) return null
  return groups.some(group => group >= Number(least) && group <= Number(most)) ? null : withoutPing.notPermitted
}

function readRange(): string | null {
  try {
    return readFileSync('/proc/sys/net/ipv4/ping_group_range', 'utf8')
  } catch {
    return null
  }
}

const ownGroups = (): number[] => [process.getegid?.() ?? -1, ...(process.getgroups?.() ?? [])]

function isInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('koffi')
    return true
  } catch {
    return false
  }
}
