// Channel of Slack: an incoming webhook. Its address decides the Slack channel, unless the setting names another.
import { Type } from 'typebox'
import { Component } from '#shared/contracts/common.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { acknowledgeField, digestField, digestKey, urlField } from '../fields.ts'
import { AttachmentsSchema } from '../message/attachment-schema.ts'
import type { Channel } from '../port.ts'
import { carried } from '../posted.ts'
import { readAnswer } from '../read-answer.ts'
import { neutralise, render } from './render.ts'

const SlackMessage = Component('SlackMessage', { channel: Type.Optional(Type.String()), attachments: AttachmentsSchema })

export const slack: Channel = {
  type: 'slack',
  name: 'Slack',
  help: 'Posts to a channel of Slack.',
  life: 'none',
  answers: 'delivered',
  fields: [
    urlField('The address of an incoming webhook, from Apps, Incoming Webhooks in Slack.'),
    {
      key: 'channel',
      label: 'Channel',
      help: 'Only if the messages belong to another channel than the one of the URL.',
      type: 'string',
      mark: 'shape',
      max: limits.destination.channelCharacters,
      isTop: true,
    },
    digestField(false),
    acknowledgeField,
  ],
  spacing: settings => (settings[digestKey] === true ? [{ messages: 1, inMs: second }] : []),
  generations: [1, 2],
  isSigned: true,
  documented: { schema: SlackMessage, more: 'A destination of type `slack` gets no `incident`.' },
  neutralise,
  render,
  carry: carried,
  read: readAnswer,
}
