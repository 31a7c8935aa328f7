// Preloaded into a program by a test, so that its registry has one more channel.
import { registerChannel } from '#shared/channels/registry.ts'
import { echo } from './echo/channel.ts'

registerChannel(echo)
