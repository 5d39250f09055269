/** In a file of its own: what is always loaded registers it, and loads nothing else of the panel. */
export const panelType = "abiding.panel";
