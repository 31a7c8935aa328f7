// Settings of the MCP server. The process of this server reads no other settings.
import { text } from '#shared/settings.ts'

export const mcpSettings = {
  WATCHKEEPER_MCP_URL: text({
    default: 'http://localhost:2517',
    unit: 'URL',
    meaning: 'Address of the API for the MCP server, without /api/v3. The option --url goes before it.',
  }),
  WATCHKEEPER_MCP_API_KEY: text({
    default: '',
    meaning: 'API key of the MCP server; a scoped one shows only the tools that it may use. The option --token goes before it.',
    secret: true,
  }),
}
