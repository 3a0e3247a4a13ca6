"""Files in an object store on this machine."""
