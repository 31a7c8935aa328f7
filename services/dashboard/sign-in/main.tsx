// The sign-in page. It has a bundle of its own, so that visitors who are not signed in load no code of the dashboard.
import { render } from 'preact'
import { ask, Refusal } from '../data/api.ts'
import { readFirst } from '../data/first.ts'
import { TextField } from '../parts/form/field.tsx'
import { Form, textOf } from '../parts/form/form.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { startTheme } from '../parts/theme.ts'
import style from './sign-in.page.css'
import { returnPath, signInSentence } from './words.ts'

startTheme()
addPageStyle(style)

interface WaysIn {
  /** Configured identity provider; null: no provider is configured. */
  oidc: { name: string } | null
}

const { oidc } = readFirst<WaysIn>(document)
const given = new URLSearchParams(location.search)
const back = returnPath(given.get('return_to'))
const word = given.get('sign_in_error')

async function signIn(values: FormData): Promise<void> {
  try {
    const password = values.get('password')
    await ask('POST', '/session/sign-in', { username: textOf(values, 'username'), password })
  } catch (error) {
    // The refusal does not reveal if the name or the password was wrong, so it is always shown beside the password.
    if (error instanceof Refusal && error.code === 'wrong_credentials') {
      throw new Refusal(error.status, error.code, 'The username or the password is wrong.', 'password')
    }
    throw error
  }
  location.assign(back)
}

function SignIn() {
  return (
    <main class="lone">
      <h1>Sign in to Watchkeeper</h1>
      {word !== null && (
        <p class="refusal" role="alert">
          {signInSentence(word)}
        </p>
      )}
      <Form fields={['username', 'password']} act="Sign in" send={signIn}>
        <TextField name="username" label="Username" autoComplete="username" autoFocus required />
        <TextField name="password" label="Password" type="password" autoComplete="current-password" required />
      </Form>
      {oidc !== null && (
        <p class="acts other-way">
          <a class="button" href={`/session/oidc/start?return_to=${encodeURIComponent(back)}`}>
            Sign in with {oidc.name}
          </a>
        </p>
      )}
      <details class="help">
        <summary>First start, or password forgotten?</summary>
        <p>
          The first start makes the account <code>owner</code>. Set its password on the machine that runs Watchkeeper:
        </p>
        <pre>
          <code>./watchkeeper member password owner</code>
        </pre>
        <p>An administrator sets the password of another account.</p>
      </details>
    </main>
  )
}

const root = document.getElementById('app')
if (root === null) throw new Error('Invariant broken: the page has no place for the sign-in')
render(<SignIn />, root)
