SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#viewer",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  filter: true,
  validatorUrl: null,
});
