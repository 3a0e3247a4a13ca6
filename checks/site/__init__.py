"""The documentation as a site: what is generated, where links lead, what pages show."""
