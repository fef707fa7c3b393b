/** Where the admin interface has the organization, its teams and their projects. */

export const organizationPath = '/console/api/organization';
export const teamsPath = '/console/api/teams';
export const projectsPath = '/console/api/projects';
