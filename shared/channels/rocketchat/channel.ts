// Channel of Rocket.Chat: an incoming webhook that takes attachments. Written by the documents of Rocket.Chat.
import { postsAttachments } from '../message/attachment-post.ts'
import type { Channel } from '../port.ts'

export const rocketchat: Channel = postsAttachments({
  type: 'rocketchat',
  name: 'Rocket.Chat',
  help: 'Posts to a channel of Rocket.Chat.',
  from: 'From the administration: Integrations, New, Incoming.',
  textUnits: 4_500,
  perSecond: 1,
})
