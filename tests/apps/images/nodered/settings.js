module.exports = {
  flowFile: 'flows.json',
  credentialSecret: 'study',
  uiHost: '127.0.0.1',
  diagnostics: { enabled: true, ui: true },
  telemetry: { enabled: false, updateNotification: false },
  adminAuth: { type: 'credentials', users: [{ username: 'admin', password: '@HASH@', permissions: '*' }] },
  editorTheme: { tours: false, palette: { catalogues: [] }, projects: { enabled: false } },
  externalModules: { palette: { allowInstall: false } },
  logging: { console: { level: 'warn' } },
};
