// Judgement of pings against a plain one, over every number of pings, of those that may be lost, and of replies.
import t from 'tap'
import { judgePings } from '#shared/checks/icmp/judge.ts'

/** Counts the replies that are still missing, one by one. */
function plainly(count: number, maxLost: number, replies: number): string | null {
  let lost = count
  for (let reply = 0; reply < replies; reply++) lost--
  if (lost === count) return `no reply to ${count} ping${count > 1 ? 's' : ''}`
  return lost <= maxLost ? null : `${lost} of ${count} pings lost`
}

t.test('judgement agrees with a plain one', async t => {
  let failed = 0
  for (let count = 1; count <= 10; count++)
    for (let maxLost = 0; maxLost <= 9; maxLost++)
      for (let replies = 0; replies <= count; replies++) {
        const fault = judgePings({ count, max_lost: maxLost }, replies)
        if (fault !== plainly(count, maxLost, replies))
          t.fail(`${count} pings, ${maxLost} may be lost, ${replies} replies: ${fault}`)
        if (fault !== null) failed++
      }
  t.ok(failed > 200, `${failed} of the cases fail`)
})
