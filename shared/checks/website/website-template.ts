// Name of the Template of website monitors. It is alone in this file, because pages need it without the fields.

/** The Template of website monitors, also of those that generations 1 and 2 made: key and version. */
export const websiteTemplate = 'website-check@1'

/** Whether the Template, `key@version`, is that of website monitors. Null: a custom subject has none. */
export const isWebsiteTemplate = (template: string | null | undefined): boolean => template === websiteTemplate
