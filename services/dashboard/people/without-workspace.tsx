// Pages shown when there is no workspace to show: the person is a member of no workspace, or no longer a member of the present workspace.
import { session } from '../data/session.ts'
import { chooseWorkspace } from '../data/workspace.ts'
import { Empty } from '../parts/states.tsx'

export function NoWorkspace() {
  return (
    <>
      <h1>No workspace</h1>
      <Empty title="You are a member of no workspace">
        <p>
          Ask an owner of one to invite you, by your username {session.value?.user.username}. The invitation then stands here.
        </p>
        <p>
          Or <a href="/settings">create a workspace</a> of your own.
        </p>
      </Empty>
    </>
  )
}

/** Shown after the workspace was deleted, or after the person's membership has ended. */
export function WorkspaceGone() {
  return (
    <>
      <h1>No longer your workspace</h1>
      <Empty title="You are no member of this workspace any more">
        <p>It was deleted, or an owner removed you. Nothing more of it arrives here.</p>
        {session.value?.workspaces.map(({ id, name }) => (
          <p key={id}>
            <button type="button" class="button" onClick={() => chooseWorkspace(id)}>
              Show {name}
            </button>
          </p>
        ))}
      </Empty>
    </>
  )
}
