"""The pages of an account, made by django-allauth: what differs here from what it does by itself."""
