// Settings of the keeper.
import { duration, integer } from '#shared/settings.ts'

export const settings = {
  WEBSITE_CONFIRM_AFTER: duration({
    default: '2m',
    meaning:
      'How long a website problem must last before it is confirmed and anyone is told; monitors that name their own hold keep it, and those of other Templates always have one. The same at keepers and directories.',
  }),
  WEBSITE_CLOSE_AFTER: duration({
    default: '2m',
    meaning:
      'How long a website must be well again before its incident closes; monitors that name their own hold keep it, and those of other Templates always have one. The same at keepers and directories.',
  }),
  KEEPER_CACHE: integer({
    default: '0',
    unit: 'subjects',
    min: 0,
    max: 10_000_000,
    meaning:
      'How many subjects one keeper keeps in memory; 0: as many as fit a third of the largest heap of its process. A subject that is not in memory is read from the store with each report.',
  }),
}
